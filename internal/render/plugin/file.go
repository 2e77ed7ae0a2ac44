package plugin

// Plugin is one ConfigManagementPlugin file.
type Plugin struct {
	// Name and Version of the plugin; Version may be empty.
	Name, Version string
	// Init runs before Generate; what it prints is no manifest.
	Init, Generate Command
	Discover       Discover
	// Static are the announced parameters, Dynamic prints more as JSON.
	Static  []Parameter
	Dynamic Command
	// PreserveFileMode keeps programs of the repository executable.
	PreserveFileMode bool
	// File and Line are where the plugin is written.
	File string
	Line int
}

// ID is how an Application names the plugin: its name, with -version where
// it has one.
func (p Plugin) ID() string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + "-" + p.Version
}

// Command is a program with arguments; Args follow those in Command.
type Command struct {
	Command []string `json:"command" yaml:"command"`
	Args    []string `json:"args"    yaml:"args"`
}

func (c Command) set() bool { return len(c.Command) > 0 }

// Discover tells which sources a plugin is for: the first of FileName,
// Find.Glob and Find.Command that is set counts.
type Discover struct {
	// FileName is a pattern of path.Match below the source's folder.
	FileName string `yaml:"fileName"`
	Find     struct {
		Command `yaml:",inline"`

		// Glob is a pattern that may have ** below the source's folder.
		Glob string `yaml:"glob"`
	} `yaml:"find"`
}

func (d Discover) set() bool { return d.FileName != "" || d.Find.Glob != "" || d.Find.set() }

// Parameter is one parameter that a plugin announces. String, Map and Array
// are the default.
type Parameter struct {
	Name           string            `json:"name"                     yaml:"name"`
	Title          string            `json:"title,omitempty"          yaml:"title"`
	Tooltip        string            `json:"tooltip,omitempty"        yaml:"tooltip"`
	Required       bool              `json:"required,omitempty"       yaml:"required"`
	ItemType       string            `json:"itemType,omitempty"       yaml:"itemType"`
	CollectionType string            `json:"collectionType,omitempty" yaml:"collectionType"`
	String         string            `json:"string,omitempty"         yaml:"string"`
	Array          []string          `json:"array,omitempty"          yaml:"array"`
	Map            map[string]string `json:"map,omitempty"            yaml:"map"`
}
