package access

import "github.com/causeway-gitops/causeway/internal/gitops/secret"

// Secret is a text that never shows itself in logs, errors or JSON.
type Secret = secret.Text
