# A configuration that used terraform-helm-gitops-bridge before: the Secret and
# what was bootstrapped stay where they are, and become this module's. Argo CD's
# own release is forgotten, not destroyed: in which order Terraform would destroy
# it nobody can say. The engine takes Argo CD's place once it is known that this
# changes nothing (causeway_install), and hands back when it is destroyed.

moved {
  from = kubernetes_secret_v1.cluster
  to   = causeway_cluster.cluster
}

removed {
  from = helm_release.argocd

  lifecycle {
    destroy = false
  }
}

removed {
  from = helm_release.bootstrap

  lifecycle {
    destroy = false
  }
}
