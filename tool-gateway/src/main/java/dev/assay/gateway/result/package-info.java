/** The results of calls, and what is removed from them; pure. */
@NullMarked
package dev.assay.gateway.result;

import org.jspecify.annotations.NullMarked;
