package dev.assay.local.kubelet;

import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.Needs;

/** Containers in namespaces that the helper makes. */
@Needs(Isolation.NAMESPACES)
class NamespacesKubeletTest extends IsolatedKubeletContract {
  NamespacesKubeletTest() {
    super(Isolation.NAMESPACES);
  }
}
