package dev.assay.frontend.identity;

/**
 * Who calls.
 *
 * @param caller the name that runs carry
 * @param namespace where their runs and datasets live
 */
public record Identity(String caller, String namespace) {}
