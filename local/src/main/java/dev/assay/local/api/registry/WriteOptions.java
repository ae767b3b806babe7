package dev.assay.local.api.registry;

/**
 * How a create, update or patch is to be done.
 *
 * @param dryRun whether all is checked and nothing stored
 * @param strict whether fields that the schema does not have are an error, and not dropped
 */
public record WriteOptions(boolean dryRun, boolean strict) {}
