package dev.assay.gateway.upstream;

/**
 * What a tool replied.
 *
 * @param isError whether it reports an error
 * @param text its text, if it reports one
 * @param value JSON text of the result
 * @param raw JSON text of content, structuredContent and isError
 * @param dealsWithOpenWorld whether the tool deals with more than a closed set of things
 */
@SuppressWarnings("ArrayRecordComponent")
public record ToolReply(
    boolean isError, String text, byte[] value, byte[] raw, boolean dealsWithOpenWorld) {}
