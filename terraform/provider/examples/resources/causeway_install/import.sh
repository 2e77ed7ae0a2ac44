terraform import causeway_install.engine argocd/causeway
