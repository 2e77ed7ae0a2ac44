package render

import (
	"path"
	"slices"
	"strings"
)

// Files that are for people, Git hosts and CI: no renderer reads them, and many name
// other repositories. Lock files, scripts and whatever else a plugin may read are none.
var (
	unheededNames   = []string{"codeowners", ".gitignore", ".gitattributes", ".gitmodules", ".gitkeep", ".git-blame-ignore-revs", "jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml", ".travis.yml"}
	unheededStems   = []string{"readme", "license", "licence", "copying", "notice", "changelog", "contributing", "authors", "maintainers"}
	unheededEndings = []string{".md", ".markdown", ".adoc", ".rst", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".svg", ".pdf", ".mp4", ".woff", ".woff2", ".ttf"}
	unheededFolders = []string{".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".woodpecker", ".idea", ".vscode"}
)

// unheeded reports whether no renderer reads a file of such a name.
func unheeded(base string) bool {
	base = strings.ToLower(base)
	ending := path.Ext(base)
	if strings.HasPrefix(base, ".gitlab") || slices.Contains(unheededNames, base) || slices.Contains(unheededEndings, ending) {
		return true
	}
	return (ending == "" || ending == ".txt") && slices.Contains(unheededStems, strings.TrimSuffix(base, ending))
}

// aside reports whether a folder, or one above it, is for Git hosts, CI or editors.
func aside(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool { return slices.Contains(unheededFolders, part) })
}
