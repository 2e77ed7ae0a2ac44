terraform {
  required_providers {
    causeway = {
      source = "causeway-gitops/causeway"
    }
  }
}

provider "causeway" {
  config_path    = "~/.kube/config"
  config_context = "hub"
}
