variable "hub" {
  description = "The cluster that the engine works from."
  type = object({
    environment = string
    region      = string
    addons      = optional(map(bool), {})
  })
}

variable "spokes" {
  description = "The other clusters, by name."
  type = map(object({
    environment = string
    region      = string
    addons      = optional(map(bool), {})
  }))
}

variable "enable_metrics" {
  description = "Whether spokes have the addon metrics, where they do not say themselves."
  type        = bool
  default     = false
}

variable "repository" {
  description = "Address of the Git repository with addons and workloads; causeway.yaml has the folder that stands in for it."
  type        = string
  default     = "https://git.example.com/platform"
}
