// Package show writes a forecast for people and machines: as a table, a tree,
// JSON, YAML, Markdown for a comment, and a page of HTML that needs nothing
// else.
//
// It decides nothing and adds nothing: what is not in the forecast is not
// shown. Texts of users are escaped for each form. The same forecast always
// gives the same bytes.
package show
