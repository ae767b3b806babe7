/** Tokens of a real tokenizer, o200k. */
@NullMarked
package dev.assay.tokens;

import org.jspecify.annotations.NullMarked;
