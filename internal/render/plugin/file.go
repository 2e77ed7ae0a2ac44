package plugin

// Plugin is one ConfigManagementPlugin file.
type Plugin struct {
	// Name and Version of the plugin; Version may be empty.
	Name, Version string
	// Init runs before Generate; what it prints is no manifest.
	Init, Generate Command
	Discover       Discover
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
