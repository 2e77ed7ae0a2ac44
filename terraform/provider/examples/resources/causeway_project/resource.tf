resource "causeway_project" "shop" {
  name         = "shop"
  description  = "The shop's team"
  source_repos = ["https://github.com/example/*"]
  destinations = [{ name = "*", namespace = "shop-*" }]
}
