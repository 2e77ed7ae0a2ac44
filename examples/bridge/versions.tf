terraform {
  required_version = ">= 1.11"

  required_providers {
    causeway = {
      source = "causeway-gitops/causeway"
    }
  }
}
