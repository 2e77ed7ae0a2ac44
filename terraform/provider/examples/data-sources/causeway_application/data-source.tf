data "causeway_application" "shop" {
  name    = "shop"
  timeout = "15m"
}
