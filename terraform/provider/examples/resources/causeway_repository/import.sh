terraform import causeway_repository.github argocd/github
