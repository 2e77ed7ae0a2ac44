data "causeway_applications" "shop" {
  names   = [for cluster in ["dev", "prod"] : "shop-${cluster}"]
  timeout = "15m"
}
