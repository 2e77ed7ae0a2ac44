# A hub on Amazon EKS, with the account's facts as metadata.
terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
    causeway = {
      source = "causeway-gitops/causeway"
    }
  }
}

variable "name" {
  description = "Name of the cluster."
  type        = string
  default     = "hub"
}

variable "image" {
  description = "Image of the engine, by repository and tag. None is released: docs/how-to/install.md says how to build one."
  type        = object({ repository = string, tag = string })
}

variable "region" {
  description = "Region of the cluster."
  type        = string
  default     = "eu-west-1"
}

provider "aws" {
  region = var.region
}

data "aws_caller_identity" "current" {}

data "aws_availability_zones" "available" {
  state = "available"
}

module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "~> 6.0"

  name               = var.name
  cidr               = "10.0.0.0/16"
  azs                = slice(data.aws_availability_zones.available.names, 0, 3)
  private_subnets    = ["10.0.0.0/20", "10.0.16.0/20", "10.0.32.0/20"]
  public_subnets     = ["10.0.48.0/24", "10.0.49.0/24", "10.0.50.0/24"]
  enable_nat_gateway = true
  single_nat_gateway = true
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name                                     = var.name
  kubernetes_version                       = "1.33"
  vpc_id                                   = module.vpc.vpc_id
  subnet_ids                               = module.vpc.private_subnets
  endpoint_public_access                   = true
  enable_cluster_creator_admin_permissions = true
  eks_managed_node_groups = {
    default = { instance_types = ["m6i.large"], min_size = 2, max_size = 4, desired_size = 2 }
  }
}

provider "causeway" {
  host                   = module.eks.cluster_endpoint
  cluster_ca_certificate = base64decode(module.eks.cluster_certificate_authority_data)
  exec = {
    api_version = "client.authentication.k8s.io/v1beta1"
    command     = "aws"
    args        = ["eks", "get-token", "--cluster-name", var.name, "--region", var.region]
  }
}

module "gitops_bridge" {
  source     = "../../modules/gitops-bridge"
  depends_on = [module.eks]

  cluster = {
    cluster_name = var.name
    environment  = "prod"
    addons = {
      enable_aws_load_balancer_controller = true
      enable_external_secrets             = true
    }
    metadata = {
      aws_account_id       = data.aws_caller_identity.current.account_id
      aws_region           = var.region
      aws_cluster_name     = module.eks.cluster_name
      aws_vpc_id           = module.vpc.vpc_id
      addons_repo_url      = "https://github.com/example/platform"
      addons_repo_path     = "addons"
      addons_repo_revision = "main"
    }
  }
  argocd = { values = [yamlencode({ image = var.image })] }
  apps   = { addons = file("${path.module}/addons.yaml") }
}
