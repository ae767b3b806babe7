/** How many tokens a text takes of a model's context, and how results are made to fit (pure). */
@NullMarked
package dev.assay.frontend.token;

import org.jspecify.annotations.NullMarked;
