terraform import causeway_cluster.spoke argocd/spoke-dev
