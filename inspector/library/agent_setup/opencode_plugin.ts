// Written by `inspector setup opencode`; `inspector setup opencode --remove` deletes it.
// After a compaction, gives the model the facts that the summary does not contain. With a preset, the summary is the one
// of the preset. Needs no build step.
import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** @typedef {import("@opencode-ai/plugin").PluginInput["client"]} Client */

const PROGRAM = ["inspector"]
const PRESET = ""
const SECONDS = 8
const PRESET_SECONDS = 60

/** @type {(words: string[], input: string, seconds: number) => Promise<string>} */
function run(words, input, seconds) {
  return new Promise((done) => {
    const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), ...words], { stdio: ["pipe", "pipe", "ignore"] })
    /** @type {Buffer[]} */
    const chunks = []
    const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000)
    /** @param {number | null} code */
    const end = (code) => {
      clearTimeout(timer)
      done(code === 0 ? Buffer.concat(chunks).toString("utf8") : "")
    }
    child.on("error", () => end(1))
    child.on("close", end)
    child.stdout.on("data", (chunk) => chunks.push(chunk))
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })
}

/** @type {(client: Client, sessionID: string) => Promise<string>} */
async function sessionOf(client, sessionID) {
  const info = (await client.session.get({ path: { id: sessionID } })).data
  const messages = (await client.session.messages({ path: { id: sessionID } })).data
  return info && messages && !info.parentID ? JSON.stringify({ info, messages }) : ""
}

/** @type {(client: Client, sessionID: string, directory: string) => Promise<string>} */
async function factsOf(client, sessionID, directory) {
  let folder
  try {
    const session = await sessionOf(client, sessionID)
    if (!session) return ""
    folder = await mkdtemp(join(tmpdir(), "inspector-"))
    const file = join(folder, "session.json")
    await writeFile(file, session, { mode: 0o600 })
    const event = { hook_event_name: "SessionStart", source: "compact", session_id: sessionID, cwd: directory }
    const input = JSON.stringify({ ...event, transcript_path: file })
    const output = await run(["hook", "opencode"], input, SECONDS)
    return output ? JSON.parse(output).hookSpecificOutput.additionalContext : ""
  } catch {
    return ""
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/**
 * Returns the texts of messages that the preset keeps before those that it summarises. opencode keeps the newest only.
 * @param {string} session
 * @param {{ messages: { id: string, into: string | null }[] }} output
 */
function kept(session, output) {
  const last = output.messages.findLastIndex((message) => message.into)
  const ids = new Set(output.messages.slice(0, last).filter((message) => !message.into).map((message) => message.id))
  /** @type {{ info: import("@opencode-ai/sdk").Message, parts: import("@opencode-ai/sdk").Part[] }[]} */
  const messages = JSON.parse(session).messages
  return messages
    .filter((message) => ids.has(message.info.id))
    .map(({ info, parts }) => [info.role, parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")])
    .flatMap(([role, text]) => (text ? [`Earlier message, kept word for word (${role}): ${text}`] : []))
}

/** @type {(client: Client, sessionID: string) => Promise<string>} */
async function summaryOf(client, sessionID) {
  try {
    const session = await sessionOf(client, sessionID)
    const words = ["compress", "-", "--preset", PRESET, "--force", "--json"]
    const output = session && JSON.parse(await run(words, session, PRESET_SECONDS))
    if (!output || !output.valid) return ""
    return [...output.summaries.map((/** @type {{ text: string }} */ one) => one.text), ...kept(session, output)].join("\n\n")
  } catch {
    return ""
  }
}

/** @type {import("@opencode-ai/plugin").Plugin} */
export const Inspector = async ({ client, directory }) => {
  /** @type {Map<string, Promise<string>>} */
  const facts = new Map()
  /** @type {Map<string, string>} */
  const summaries = new Map()
  return {
    event: async ({ event }) => {
      if (event.type === "session.compacted") {
        const { sessionID } = event.properties
        facts.set(sessionID, factsOf(client, sessionID, directory))
      }
      if (event.type === "session.deleted") {
        facts.delete(event.properties.info.id)
        summaries.delete(event.properties.info.id)
      }
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const summary = PRESET && (await summaryOf(client, sessionID))
      summaries.delete(sessionID)
      if (!summary) return
      summaries.set(sessionID, summary)
      output.prompt = `Reply with exactly this text, unchanged:\n\n${summary}`
    },
    "experimental.chat.messages.transform": async (_input, output) => {
      const summary = output.messages.findLast((message) => message.info.role === "assistant" && message.info.summary)
      if (!summary) return
      const { id: messageID, sessionID } = summary.info
      const own = summaries.get(sessionID)
      const first = summary.parts.findIndex((part) => part.type === "text")
      if (own && first >= 0) {
        const stated = summary.parts[first]
        if (stated.type === "text") summary.parts[first] = { ...stated, text: own }
      }
      const text = await facts.get(sessionID)
      if (!text) return
      summary.parts.push({ id: `prt_inspector_${messageID}`, sessionID, messageID, type: "text", text, synthetic: true })
    },
  }
}
