terraform {
  # Write-only attributes came with 1.11: credentials are in no state.
  required_version = ">= 1.11"

  required_providers {
    causeway = {
      source  = "causeway-gitops/causeway"
      version = ">= 0.1.0"
    }
  }
}
