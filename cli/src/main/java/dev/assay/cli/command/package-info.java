/** The subcommands. */
@NullMarked
package dev.assay.cli.command;

import org.jspecify.annotations.NullMarked;
