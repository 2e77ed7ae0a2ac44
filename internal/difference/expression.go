package difference

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/difference/jq"
)

// Share returns a context of one comparison of an Application. What jq path
// expressions take of it counts for the project, and is bounded together.
func Share(ctx context.Context, project string) context.Context { return jq.Share(ctx, project) }

// ParseJQ reads a jq path expression of ignoreDifferences, for whom a context is.
func ParseJQ(ctx context.Context, text string) (*jq.Query, error) {
	return parseJQ(jq.Project(ctx), text)
}

func parseJQ(project, text string) (*jq.Query, error) {
	return jq.Parse(project, "ignoreDifferences", text)
}

// ForgetJQ returns an object without what expressions name. It may share parts
// with the object, which is not changed.
func ForgetJQ(ctx context.Context, object map[string]any, expressions []string) (map[string]any, error) {
	for _, expression := range expressions {
		query, err := ParseJQ(ctx, expression)
		if err != nil {
			return nil, err
		}
		if object, err = query.Delete(ctx, object); err != nil {
			return nil, err
		}
	}
	return object, nil
}
