package show

// plain is a style without colours.
type plain struct{}

func (plain) Title(text string) string   { return text }
func (plain) Dim(text string) string     { return text }
func (plain) Added(text string) string   { return text }
func (plain) Removed(text string) string { return text }
func (plain) Changed(text string) string { return text }
