package dev.assay.frontend.call;

/**
 * Structured content of a tool that lists no output schema, because some of its replies have none.
 */
public interface UnlistedContent {}
