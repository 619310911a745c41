import { defineSearchAttributeKey } from "@temporalio/common";

// Never encrypted by a codec: no actor names, no input values, the project by its opaque id.
export const HelixTool = defineSearchAttributeKey("HelixTool", "KEYWORD");
export const HelixProject = defineSearchAttributeKey("HelixProject", "KEYWORD");
export const HelixPlanKind = defineSearchAttributeKey("HelixPlanKind", "KEYWORD");
export const HelixStatus = defineSearchAttributeKey("HelixStatus", "KEYWORD");
export const HelixErrorCode = defineSearchAttributeKey("HelixErrorCode", "KEYWORD");
