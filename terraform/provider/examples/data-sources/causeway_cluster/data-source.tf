data "causeway_cluster" "spoke" {
  secret_name = "spoke-dev"
}

output "region" {
  value = data.causeway_cluster.spoke.annotations["aws_region"]
}
