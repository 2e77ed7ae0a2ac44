hub = {
  environment = "hub"
  region      = "eu-west-1"
  addons      = { enable_ingress = true }
}

spokes = {
  dev = {
    environment = "dev"
    region      = "eu-west-1"
    addons      = { enable_ingress = true }
  }
  staging = {
    environment = "staging"
    region      = "eu-central-1"
    addons      = { enable_ingress = true }
  }
  prod = {
    environment = "prod"
    region      = "eu-central-1"
    # Prod says itself what it has: enable_metrics does not reach it.
    addons = { enable_ingress = true, enable_metrics = false }
  }
}
