/** Who calls the endpoint of a part of Assay. */
@NullMarked
package dev.assay.api.authentication;

import org.jspecify.annotations.NullMarked;
