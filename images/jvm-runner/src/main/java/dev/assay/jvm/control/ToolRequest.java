package dev.assay.jvm.control;

/**
 * A tool to call.
 *
 * @param server the name of the server that has it
 * @param tool its name there
 * @param args JSON text
 */
public record ToolRequest(String server, String tool, String args) {}
