package dev.assay.jvm.table;

/**
 * A column of a result.
 *
 * @param name as in the result
 * @param type DuckDB's name of its type, such as {@code BIGINT}
 */
public record Column(String name, String type) {}
