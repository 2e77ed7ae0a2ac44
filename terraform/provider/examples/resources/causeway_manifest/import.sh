terraform import causeway_manifest.settings v1/ConfigMap/argocd/argocd-cm
