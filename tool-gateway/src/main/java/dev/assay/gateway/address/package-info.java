/** Which addresses a tool server may have, and where names are resolved. */
@NullMarked
package dev.assay.gateway.address;

import org.jspecify.annotations.NullMarked;
