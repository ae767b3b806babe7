package dev.assay.jvm.javascript;

/**
 * A place in code.
 *
 * @param line from 1
 * @param column from 1, in UTF-16 code units, as V8 counts them
 */
record Position(int line, int column) {}
