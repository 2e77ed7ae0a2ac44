variable "create" {
  description = "Whether to make anything at all."
  type        = bool
  default     = true
}

variable "install" {
  description = "Whether to install the engine."
  type        = bool
  default     = true
}

variable "argocd" {
  description = "Options of the installation, as of Argo CD's chart: name, namespace, create_namespace, timeout, wait, skip_crds, values, set, set_sensitive; and takeover, how the engine takes the place of an Argo CD that runs (allow_changes, mirrors, plugin_dir, sops_age_key_file, timeout). Others are taken and without effect; a warning names them. A value of the engine's chart in set_sensitive is an error."
  type        = any
  default     = {}
}

variable "cluster" {
  description = "The cluster to describe: cluster_name, environment, addons (labels), metadata (annotations), server, config, secret_name, secret_namespace. Null makes no Secret."
  type        = any
  default     = null
}

variable "apps" {
  description = "Manifests to apply once the cluster is described, one object each, by name: the first Applications and ApplicationSets."
  type        = any
  default     = {}
}
