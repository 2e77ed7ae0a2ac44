terraform import causeway_application.shop argocd/shop
