data "causeway_application" "shop" {
  name    = "shop"
  timeout = "15m"

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The shop is ${self.sync_status} and ${self.health_status}."
    }
  }
}
