# A configuration that used terraform-helm-gitops-bridge before: the Secret and
# what was bootstrapped stay where they are, and become this module's. Argo CD's
# own release is destroyed, which the plan shows: two engines would fight.

moved {
  from = kubernetes_secret_v1.cluster
  to   = causeway_cluster.cluster
}

removed {
  from = helm_release.bootstrap

  lifecycle {
    destroy = false
  }
}
