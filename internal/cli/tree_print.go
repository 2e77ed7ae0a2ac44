package cli

import (
	"fmt"
	"strconv"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
)

func (t *treeFlags) print(root *branch) error {
	switch t.output {
	case asJSON, asYAML:
		return printValue(t.Out, t.output, root)
	case asName:
		return t.printNames(root)
	}
	return t.printTable(treeTable(root, t.output), t.output)
}

func treeTable(root *branch, output string) table {
	t := table{keys: 1, header: []string{"OBJECT", "SYNC", "HEALTH", "WAVE", "INFO"}}
	t.grow(root, "", "", output == asWide)
	return t
}

func (t *treeFlags) printNames(b *branch) error {
	group := ""
	if b.Group != "" {
		group = "." + b.Group
	}
	if _, err := fmt.Fprintln(t.Out, screen.Line(b.Kind+group+"/"+b.Name)); err != nil {
		return err
	}
	for _, child := range b.Children {
		if err := t.printNames(child); err != nil {
			return err
		}
	}
	return nil
}

// grow adds a branch and what is below it as rows. The namespace is told
// where it differs from that of the object above.
func (t *table) grow(b *branch, lead, below string, wide bool) {
	wave := ""
	if b.Wave != 0 {
		wave = strconv.FormatInt(b.Wave, 10)
	}
	t.rows = append(t.rows, []string{lead + label(b, wide), b.Sync, b.Health, wave, b.Info})
	for i, child := range b.Children {
		mark, space := "├─ ", "│  "
		if i == len(b.Children)-1 {
			mark, space = "└─ ", "   "
		}
		t.grow(child, below+mark, below+space, wide)
	}
}

func label(b *branch, wide bool) string {
	kind := b.Kind
	if wide && b.Group != "" {
		kind += "." + b.Group
	}
	if b.Group == v1alpha1.Group && !wide {
		return kind + " " + b.Name
	}
	return gitops.ObjectName(kind, b.Namespace, b.Name)
}
