// Package custom reads what an installation says of its kinds: the keys
// resource.customizations and resource.customizations.TYPE.GROUP_KIND of
// argocd-cm, as far as they are about health and actions.
package custom
