/** What a request does to the objects of a resource: validation, defaults, deletion, garbage. */
@NullMarked
package dev.assay.local.api.registry;

import org.jspecify.annotations.NullMarked;
