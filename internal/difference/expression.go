package difference

import "github.com/causeway-gitops/causeway/internal/difference/jq"

// ParseJQ reads a jq path expression of ignoreDifferences.
func ParseJQ(text string) (*jq.Query, error) { return jq.Parse("ignoreDifferences", text) }
