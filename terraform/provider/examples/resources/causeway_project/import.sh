terraform import causeway_project.shop argocd/shop
