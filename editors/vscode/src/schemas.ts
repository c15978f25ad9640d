import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

/** The part of the interface of the extension YAML that registers schemas. */
interface YamlExtension {
  registerContributor(
    name: string,
    schemaOf: (resource: string) => string | undefined,
    contentOf: (uri: string) => string | undefined,
    label?: string,
  ): boolean;
}

const scheme = "wfc-schema";

/**
 * schemaOf returns the name of the schema for a file by its path and text, or undefined. The
 * format of other workflows shows only in the rest of their text, which wfc reads.
 */
export function schemaOf(file: string, text: string): string | undefined {
  const name = path.posix.basename(file);
  if (name.endsWith(".test.yaml")) {
    return "test";
  }
  if (name === "wfc.yaml") {
    return "config";
  }
  const named = /^#\s*wfc:\s*dialect=(archon|graphloop|lango|xprompt)\b/m.exec(text);
  if (named !== null) {
    return named[1];
  }
  return file.includes("/.archon/workflows/") && /\.ya?ml$/.test(name) ? "archon" : undefined;
}

/** offersSchemas reports whether the extension YAML gets schemas, by the setting wfc.schemas. */
export function offersSchemas(setting: string, serverRuns: boolean): boolean {
  return setting === "always" || (setting === "auto" && !serverRuns);
}

/**
 * registerSchemas gives the schemas of a folder to the extension YAML, if it is installed. It
 * asks for each file; offered decides then, because the language server may have stopped.
 */
export async function registerSchemas(folder: string, offered: () => boolean): Promise<boolean> {
  const extension = vscode.extensions.getExtension<YamlExtension | undefined>("redhat.vscode-yaml");
  if (extension === undefined) {
    return false;
  }
  const yaml = await extension.activate();
  if (typeof yaml?.registerContributor !== "function") {
    return false;
  }
  return yaml.registerContributor(
    scheme,
    (resource) => {
      if (!offered()) {
        return undefined;
      }
      const text = vscode.workspace.textDocuments.find((document) => document.uri.toString() === resource)?.getText() ?? "";
      const name = schemaOf(vscode.Uri.parse(resource).path, text);
      return name === undefined ? undefined : `${scheme}://schema/${name}`;
    },
    (uri) => {
      const name = /^\w+$/.exec(path.posix.basename(uri))?.[0];
      return name === undefined ? undefined : fs.readFileSync(path.join(folder, `${name}.schema.json`), "utf8");
    },
    "wfc",
  );
}
