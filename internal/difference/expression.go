package difference

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/difference/jq"
)

// Share returns a context of one comparison of an Application. What jq path
// expressions take of it counts for the project, and is bounded together.
func Share(ctx context.Context, project string) context.Context { return jq.Share(ctx, project) }

// ParseJQ reads a jq path expression of ignoreDifferences.
func ParseJQ(text string) (*jq.Query, error) { return jq.Parse("ignoreDifferences", text) }
