package gitops

// UnreadableSetting is the Problem of a key of ConfigMap argocd-cm that decides
// what is compared, and how.
func UnreadableSetting(key string, err error) error {
	return Problemf(Invalid, "cannot read the key %s of ConfigMap argocd-cm: %w", key, err).Do("mend the key; nothing is compared until then")
}
