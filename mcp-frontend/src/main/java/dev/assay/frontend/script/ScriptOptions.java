package dev.assay.frontend.script;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one script.
 *
 * @param timeoutMillis run time
 * @param maxToolCalls calls of tools; 0 for any number
 * @param allowedServers the servers whose tools it may call; null for all
 * @param maxParallel calls of one batch that are under way at a time
 */
public record ScriptOptions(
    int timeoutMillis, int maxToolCalls, @Nullable List<String> allowedServers, int maxParallel) {}
