package dev.assay.gateway.call;

/**
 * A tool server, whether there is one of that name or not.
 *
 * @param namespace its namespace
 * @param name its name
 */
public record ServerKey(String namespace, String name) {}
