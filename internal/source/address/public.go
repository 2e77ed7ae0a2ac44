package address

import "github.com/causeway-gitops/causeway/internal/gitops"

// Public is a raw address fit for messages, as all of the engine shows it.
func Public(raw string) string { return gitops.PublicAddress(raw) }
