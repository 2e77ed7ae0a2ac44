package object

import (
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

func (c *comparing) risks(p pair) []forecast.Risk { return nil }
