locals {
  namespace = try(var.argocd.namespace, "argocd")

  # The chart's own values. What else is given is for Argo CD's chart.
  chart_values = [
    "affinity", "applications", "bridge", "cache", "clusterSources", "declaredClusters", "destination", "engine", "externalSecrets",
    "extraEnv", "extraVolumeMounts", "extraVolumes", "generators", "image", "imagePullSecrets", "monitoring", "networkPolicy", "nodeSelector",
    "podAnnotations", "podDisruptionBudget", "podLabels", "priorityClassName", "rbac", "replicas", "resources", "service",
    "serviceAccount", "store", "terminationGracePeriodSeconds", "tolerations", "topologySpreadConstraints",
  ]
  # Both charts have values below "server", and no key of them in common.
  server_values = [
    "describe", "enabled", "exec", "kubernetesUsers", "logs", "passwords", "port", "tlsGenerate", "tlsHosts", "tlsSecret",
    "trustedProxies", "userExtras",
  ]
  values  = [for text in coalesce(try(var.argocd.values, null), []) : merge({}, try(yamldecode(text), {}))]
  servers = [for one in local.values : try(merge({}, one.server), {})]
  serving = [for one in local.servers : { for k, v in one : k => v if contains(local.server_values, k) }]
  taken = [for i, one in local.values : merge(
    { for k, v in one : k => v if contains(local.chart_values, k) },
    { for k in ["server"] : k => local.serving[i] if length(local.serving[i]) > 0 },
  )]

  # Argo CD's chart gives the engine the hub itself; so does this, unless values say otherwise.
  granted = anytrue([for one in local.taken : contains(keys(one), "destination")])
  grant   = local.granted ? [] : [yamlencode({ destination = { clusterAdmin = true } })]

  # A list of Terraform has values of one type, and these may be texts, numbers and flags.
  sets = [for s in flatten([try(var.argocd.set, [])]) : { name = s.name, value = tostring(s.value) } if s != null]
  set  = { for s in local.sets : s.name => s.value if local.own[s.name] }

  # What the chart is given is in the plan, the state and the engine's objects, so nothing sensitive is given to it.
  sensitive = [for s in flatten([try(var.argocd.set_sensitive, [])]) : s.name if s != null]
  exposed   = [for name in local.sensitive : name if local.own[name]]

  # Which of the single values are the chart's own, by their first key, or the first two.
  own = { for name in distinct(concat(local.sets[*].name, local.sensitive)) : name => (
    contains(local.chart_values, regex("^[^.\\[]*", name)) ||
    contains([for k in local.server_values : "server.${k}"], try(regex("^server\\.[^.\\[]*", name), ""))
  ) }

  # Argo CD's settings live on in the ConfigMap argocd-cm, which the engine reads as well.
  settings = { for k, v in merge({}, [for one in local.values : try(merge({}, one.configs.cm), {})]...) : k => tostring(v) if v != null && k != "create" }

  # What is accepted and has no effect.
  known = ["name", "namespace", "create_namespace", "timeout", "wait", "skip_crds", "values", "set", "set_sensitive", "takeover"]
  ignored = distinct(concat(
    [for k, v in merge({}, var.argocd) : k if v != null && !contains(local.known, k)],
    flatten([for one in local.values : [for k in keys(one) : "values: ${k}" if k != "configs" && k != "server" && !contains(local.chart_values, k)]]),
    flatten([for one in local.servers : [for k in keys(one) : "values: server.${k}" if !contains(local.server_values, k)]]),
    flatten([for one in local.values : [for k in keys(try(merge({}, one.configs), {})) : "values: configs.${k}" if k != "cm"]]),
    [for s in local.sets : "set: ${s.name}" if !contains(keys(local.set), s.name)],
    [for name in local.sensitive : "set_sensitive: ${name}" if !contains(local.exposed, name)],
  ))
}

check "argocd" {
  assert {
    condition     = length(local.ignored) == 0
    error_message = "Without effect here, as they are for Argo CD's chart: ${join(", ", local.ignored)}."
  }
}

resource "causeway_install" "argocd" {
  count = var.create && var.install ? 1 : 0

  name             = try(var.argocd.name, "causeway")
  namespace        = local.namespace
  create_namespace = try(var.argocd.create_namespace, true)
  skip_crds        = try(var.argocd.skip_crds, null)
  wait             = try(var.argocd.wait, true)
  timeout          = try("${tonumber(var.argocd.timeout)}s", null)
  values           = concat(local.grant, [for one in local.taken : yamlencode(one) if length(one) > 0])
  set              = local.set
  takeover         = try(var.argocd.takeover, null)

  lifecycle {
    precondition {
      condition     = length(local.exposed) == 0
      error_message = "set_sensitive: ${join(", ", local.exposed)} would be in the plan, in the state and in the engine's objects. Put the value into a Secret and name that, as in extraEnv with valueFrom.secretKeyRef; what is no secret goes into set."
    }
  }
}

resource "causeway_manifest" "settings" {
  count = var.create && var.install && length(local.settings) > 0 ? 1 : 0

  manifest = yamlencode({
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "argocd-cm", namespace = local.namespace, labels = { "app.kubernetes.io/part-of" = "argocd" } }
    data       = local.settings
  })

  # Where Argo CD was before, the object is its release's as well, and Argo CD
  # needs it when it gets its place back.
  shared = true

  depends_on = [causeway_install.argocd]
}

resource "causeway_cluster" "cluster" {
  count = var.create && var.cluster != null ? 1 : 0

  cluster_name = try(var.cluster.cluster_name, null)
  environment  = try(var.cluster.environment, null)
  addons       = { for k, v in merge({}, try(var.cluster.addons, {})) : k => v == null ? null : tostring(v) }
  metadata     = { for k, v in merge({}, try(var.cluster.metadata, {})) : k => v == null ? null : tostring(v) }
  server       = try(var.cluster.server, null)
  config_wo    = try(var.cluster.config, null)
  secret_name  = try(var.cluster.secret_name, null)
  namespace    = try(var.cluster.secret_namespace, "argocd")

  depends_on = [causeway_install.argocd]
}

resource "causeway_manifest" "bootstrap" {
  for_each = var.create ? var.apps : {}

  manifest = each.value
  # What the other module's release applied becomes this module's.
  adopt     = true
  namespace = try(yamldecode(each.value).metadata.namespace, local.namespace)

  depends_on = [causeway_install.argocd, causeway_manifest.settings, causeway_cluster.cluster]
}
